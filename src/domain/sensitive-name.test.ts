import { describe, expect, it } from "vitest";
import { asBytePath } from "./byte-path.ts";
import { isSensitiveName } from "./sensitive-name.ts";

describe("isSensitiveName", () => {
  it.each([
    ".env",
    "deep/in/.env",
    ".ENV",
    ".env.local",
    ".env.production",
    ".npmrc",
    "server.pem",
    "SERVER.KEY",
    "store.jks",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "prod.tfvars",
    "id_rsa",
    "id_ed25519",
    "id_rsa.old",
    "service-account-prod.json",
    ".aws/credentials",
    "home/.aws/credentials",
    ".docker/config.json",
    ".kube/config",
    ".ssh/known_hosts",
    "x/.gnupg/a/b",
    "\xff/.env",
  ])("keeps %j out", (path) => {
    expect(isSensitiveName(asBytePath(path))).toBe(true);
  });

  it.each([
    ".env.example",
    "a/.env.sample",
    ".env.template",
    ".env.dist",
    ".environment",
    "env",
    "id_rsa.pub",
    "id_ed25519.pub",
    "key",
    "key.ts",
    "pem/readme.md",
    "config.json",
    "docker/config.json",
    "aws/credentials",
    "credentials.ts",
    "ssh/config",
    "kube/config",
    "my.ssh/config",
    ".env/readme",
  ])("lets %j in", (path) => {
    expect(isSensitiveName(asBytePath(path))).toBe(false);
  });
});
