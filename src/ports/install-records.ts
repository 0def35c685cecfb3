/** Remembers what was installed: of a project in its repository, of a user in the home folder. Readable for nobody else. */
import type { InstallRecord } from "../domain/agents/install-record.ts";

export interface InstallRecords {
  /** What cannot be read is passed over. */
  all(): readonly InstallRecord[];
  /** In the place of the one with the same name; on the disk when this returns. */
  save(record: InstallRecord): void;
  forget(record: InstallRecord): void;
  /** Nobody else installs or uninstalls meanwhile. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
}
