// Times one call inside a process that is running already, as an agent or an editor makes it, and prints what readTimed() reads.
import { cpuOfChildren } from "../measure.mjs";

/** @param {() => Promise<string>} call its result is an id */
export async function timeCall(call) {
  const cpu = process.cpuUsage();
  const children = cpuOfChildren();
  const start = process.hrtime.bigint();
  const id = await call();
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000 + cpuOfChildren() - children;
  console.log(JSON.stringify({ id, ms, cpuMs }));
}
