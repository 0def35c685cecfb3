import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandName } from "./command-name.ts";

describe("what is said of a command", () => {
  it.each([
    ["npm test", "npm test"],
    ["npm run build", "npm run"],
    ["git -c user.password=hunter2 push", "git"],
    ["curl -u bob:hunter2 https://example.com", "curl"],
    ["mysql -phunter2 db", "mysql"],
    ["sshpass -p hunter2 ssh host", "sshpass"],
    ["docker login -p hunter2", "docker login"],
    ["docker hunter2X", "docker"],
    ["echo hunter2 | sudo -S rm -r x", "echo"],
    ["PASSWORD=hunter2 npm test", "npm test"],
    ["PASSWORD='hunter 2' OTHER=\"a b\" npm test", "npm test"],
    ["PASSWORD=hunter2; curl x", "curl"],
    ["export PASSWORD=hunter2", "export"],
    ["sudo -E npm install", "npm install"],
    ["sudo -u bob hunter2", "sudo"],
    ["env A=1 B=hunter2 node x.js", "node"],
    ["npx -y cowsay hunter2", "cowsay"],
    ["cd /srv/app && npm test", "npm test"],
    ["/usr/bin/git status", "git status"],
    ["./gradlew build", "gradlew build"],
    ["  ls\n", "ls"],
    ["make DEPLOY_KEY=hunter2", "make"],
  ])("%s: %s", (command, name) => {
    expect(commandName(command)).toBe(name);
  });

  it.each([
    "",
    "PASSWORD=hunter2",
    "PASSWORD=$(echo hunter2 hunter3) curl",
    "PASSWORD=`echo hunter2 x` curl",
    'PASSWORD="$x hunter2" curl',
    "PASSWORD=a\\ hunter2 curl",
    "'hunter2 x'",
    "$(hunter2)",
    "(hunter2)",
    "# hunter2",
    "sudo",
  ])("nothing but perhaps a wrapper for %j", (command) => {
    expect(commandName(command) ?? "").not.toContain("hunter");
  });

  it("looks into the command that a shell is given as a word of its own", () => {
    expect(commandName(["bash", "-lc", "git status && curl -u a:hunter2 x"])).toBe("git status");
    expect(commandName(["git", "status"])).toBe("git status");
    expect(commandName(["sh", "-c", "$(hunter2)"])).toBe("sh");
    expect(commandName("bash -c 'curl hunter2'")).toBe("bash");
  });

  it("never says a word that an option or an assignment has for its value", () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{8,20}Q$/);
    const shape = fc.constantFrom(
      (word: string) => `curl -u bob:${word} x`,
      (word: string) => `PW=${word} git push`,
      (word: string) => `git clone ${word}`,
      (word: string) => `sudo -p ${word} ls`,
      (word: string) => `env PW='${word} ${word}' ls`,
      (word: string) => `PW="$(cat ${word})" ls`,
      (word: string) => `docker -H ${word} ps`,
    );
    fc.assert(
      fc.property(shape, secret, (make, word) => {
        expect(commandName(make(word)) ?? "").not.toContain(word);
      }),
    );
  });
});
