export function UsageRoom() {
  return null;
}
