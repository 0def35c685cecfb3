// Tests of git that end differently with Waymark in between, and why. Everything else that differs is a failure of the run.

/** @type {readonly import("./tap.mjs").Known[]} */
export const KNOWN = [
  {
    test: "t2200-add-update.sh",
    title: /^add -n -u should not add but just report$/,
    reason: "compares two `git count-objects`: a checkpoint between them adds objects",
  },
];
