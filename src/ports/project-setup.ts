/** Sets a project up, and tells what is special about it. Nothing is staged or committed, and no file is lost. */
export interface DetectedProject {
  readonly gitVersion: string;
  readonly workTree: string;
  /** A folder without git. */
  readonly isPlain: boolean;
  /** The private repository of such a folder, from its root. */
  readonly storedIn: string;
  /** Null: HEAD is detached, or there is no git. */
  readonly branch: string | null;
  /** One of several work trees of its repository, and not the main one. */
  readonly isLinkedWorkTree: boolean;
  /** All of the repository, this one included. */
  readonly workTrees: number;
  readonly trackedFiles: number;
  readonly untrackedFiles: number;
  readonly bytes: number;
  readonly submodules: readonly string[];
  readonly nestedRepositories: readonly string[];
  /** Filter drivers with the number of files that go through each. */
  readonly filters: Readonly<Record<string, number>>;
  readonly isSparse: boolean;
  readonly isPartialClone: boolean;
  readonly isShallow: boolean;
  readonly agents: readonly string[];
  readonly workflows: readonly string[];
}

export interface ConfigFile {
  /** Relative to the project. */
  readonly name: string;
  /** False: a folder, a link, a pipe; it is left alone. */
  readonly isPlainFile: boolean;
}

export interface ProjectSetup {
  detect(): Promise<DetectedProject>;
  configFile(): ConfigFile | undefined;
  /** False when a file of that name is there; it stays as it is then. */
  createConfig(name: string, text: string): boolean;
  /** Returns where the old file is kept. */
  replaceConfig(name: string, text: string): string;
}
