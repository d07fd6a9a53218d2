export function WatchesRoom() {
  return null;
}
