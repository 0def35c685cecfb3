/**
 * Runs the built command again and again in one process. Each run is the whole of dist/bin.cjs with arguments, environment and folder of
 * its own, and it is over when nothing is left that would keep a process alive, as in life. `warm-cli.ts` is the other end.
 */
const bin = process.argv[2];
const folder = process.cwd();

/** Says where a run ends on stdout and stderr: children of the command write to them, too. */
let ending = "";

process.on("message", (order) => {
  ending = order.ending;
  // From here on the channel is nothing that keeps the process alive.
  process.channel.unref();
  for (const name of Object.keys(process.env)) {
    if (order.env[name] === undefined) delete process.env[name];
  }
  Object.assign(process.env, order.env);
  process.chdir(order.cwd ?? folder);
  process.argv = [process.execPath, bin, ...order.args];
  delete require.cache[bin];
  require(bin);
});

process.on("beforeExit", (code) => {
  process.exitCode = undefined;
  process.chdir(folder);
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners("error");
    stream.write(ending);
  }
  process.channel.ref();
  process.send(code);
});

process.on("disconnect", () => process.exit());
