export function ActivityRoom() {
  return null;
}
