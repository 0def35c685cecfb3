/** The programs of agents, and Waymark itself as agents will find it. */
export interface ProgramEnd {
  readonly ok: boolean;
  /** What it said, for a message. */
  readonly said: string;
}

export interface AgentPrograms {
  /** On the PATH, as a hook would find it: what npm adds for its own scripts does not count. */
  isFound(program: string): boolean;
  /** Runs a command of an agent, in the folder and with everything that it prints kept. */
  run(words: readonly string[], folder: string): Promise<ProgramEnd>;
}
