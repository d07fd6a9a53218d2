export function KeysRoom() {
  return null;
}
