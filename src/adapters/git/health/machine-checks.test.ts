import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../domain/failure.ts";
import { isOlder } from "../git-version.ts";
import { MIN_GIT_VERSION, runGit } from "../run-git.ts";
import {
  certificatesFinding,
  gitFinding,
  MIN_NODE_VERSION,
  nodeFinding,
} from "./machine-checks.ts";

describe("versions", () => {
  it.each([
    ["2.31.9", "2.32", true],
    ["2.32.0", "2.32", false],
    ["2.39.5 (Apple Git-154)", "2.32", false],
    ["1.9.1", "2.32", true],
    ["3.0", "2.32", false],
    ["2.50.0.windows.1", "2.36", false],
    ["2.9.0", "2.36", true],
    ["nonsense", "2.32", true],
  ])("%s is older than %s: %s", (version, wanted, expected) => {
    expect(isOlder(version, wanted)).toBe(expected);
  });

  it("of Node are those that package.json asks for", () => {
    const manifest = JSON.parse(
      readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
    ) as { engines: { node: string } };
    expect(manifest.engines.node).toBe(`>=${MIN_NODE_VERSION}`);
    expect(nodeFinding("20.18.1").status).toBe("problem");
    expect(nodeFinding(process.versions.node).status).toBe("ok");
  });

  it("of git are a problem, a warning or fine", () => {
    expect(gitFinding("2.31.1").status).toBe("problem");
    expect(gitFinding(`${MIN_GIT_VERSION}.0`).status).toBe("warning");
    expect(gitFinding("2.39.5").status).toBe("ok");
  });
});

describe("certificatesFinding", () => {
  it("warns only where the variable is set and Node is slow with it", () => {
    const env = { NODE_EXTRA_CA_CERTS: "/certs.pem" };
    expect(certificatesFinding(env, "20.20.2").status).toBe("warning");
    expect(certificatesFinding(env, "24.1.0").status).toBe("ok");
    expect(certificatesFinding({ NODE_EXTRA_CA_CERTS: "" }, "20.20.2").status).toBe("ok");
    expect(certificatesFinding({}, "20.20.2").status).toBe("ok");
  });
});

describe("an option that git does not know", () => {
  it("is a git that is too old", async () => {
    const failure: unknown = await runGit({ directory: "." }, ["status", "--no-such-option"]).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: "git_too_old" });
  });
});
