// Tests of git that end differently with Waymark in between, and why. Everything else that differs is a failure of the run.

/** @type {readonly import("./tap.mjs").Known[]} */
export const KNOWN = [
  {
    test: "t6302-for-each-ref-filter.sh",
    title:
      /^(filtering with --(merged|no-contains)|%\(color:#aa22ac\) must succeed|left alignment is default|middle alignment|right alignment|align:.*|alignment with format quote|nested alignment with quote formatting|check `%\(contents:lines=\d+\)`|check %\(if\).* atoms|ignore spaces in %\(if\) atom usage)$/,
    reason: "lists every ref, and so refs/waymark/keep/1",
  },
];
