/** Values that look like secrets and are none. Put together here so that no scanner stops at this file. */

/** A GitHub token. */
export const TOKEN = ["ghp", "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD5fG7"].join("_");
/** Another one. */
export const OTHER_TOKEN = ["ghp", "Zz9yY8xX7wW6vV5uU4tT3sS2rR1qQ0pP9oO8"].join("_");

export const SECRET_FILE = `const token = "${TOKEN}";\n`;

/** A line of a private key. */
export const KEY_BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7Vx9mTq2Zr4Ls";
export const OTHER_KEY_BODY = "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQD3kQw8nPf5Yt1H";

/** A private key: surely a secret, whatever the file is called. */
export const KEY_FILE = ["BEGIN", "END"]
  .map((word) => `-----${word} ${["PRIVATE", "KEY"].join(" ")}-----\n`)
  .join(`${KEY_BODY}\n`);
