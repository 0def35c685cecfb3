/** Files that a document names: outputs of a workflow, answers of agents. */
export interface NamedFiles {
  /** Of these paths, from the root of the project or absolute, those where nothing is. One that cannot be looked at is not among them. */
  missing(paths: readonly string[]): Promise<string[]>;
  /** False also where nothing is. */
  isFolder(path: string): Promise<boolean>;
  /** What is in a file; undefined: no regular file, too large, or not readable. */
  text(path: string): Promise<string | undefined>;
}
