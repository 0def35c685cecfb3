/**
 * One thing to look at. A check that throws is reported as a problem of that check and never ends the others, so it may
 * simply fail. Looking changes nothing; `fix` is called only when a finding says that it is fixable and the user asked.
 */
import type { Finding } from "../domain/health.ts";

export interface HealthCheck {
  /** One word, or several with underscores. */
  readonly name: string;
  /** At least one finding. */
  look(): Promise<readonly Finding[]> | readonly Finding[];
  /** Puts right what can be; the check is looked at again afterwards. */
  fix?(): Promise<void> | void;
}
