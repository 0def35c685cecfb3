/** `20261115-184530`, for names of files. */
export function timeStamp(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
