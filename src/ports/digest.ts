/** SHA-256 of UTF-8 text, in hexadecimal. */
export type Sha256 = (text: string) => string;
