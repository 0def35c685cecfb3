/** The folder in a project that belongs to Waymark: the audit log, exports and, now and then, files that were moved aside. */
export const OWN_FOLDER = ".checkpoints";
