import { describe, expect, it } from "vitest";
import { userSettingsFolder } from "./config-places.ts";

describe("userSettingsFolder", () => {
  it.each([
    [{ HOME: "/home/me" }, "/home/me/.config/waymark"],
    [{ HOME: "/home/me", XDG_CONFIG_HOME: "/etc/me" }, "/etc/me/waymark"],
    [{ HOME: "", XDG_CONFIG_HOME: "/etc/me" }, "/etc/me/waymark"],
    // Relative ones are to be ignored, says the specification of these variables.
    [{ HOME: "/home/me", XDG_CONFIG_HOME: "config" }, "/home/me/.config/waymark"],
    [{ HOME: "", XDG_CONFIG_HOME: "" }, undefined],
    [{ HOME: "home" }, undefined],
    [{}, undefined],
  ])("[R170] is the user's, wherever the project is: %j", (env, folder) => {
    expect(userSettingsFolder(env)).toBe(folder);
  });
});
