/** A step of a shell command that takes the password out of a URL in an environment variable, so that no list of processes shows it. */
import { quoteForShell } from "../../domain/shell-quote.ts";

/** `into`: the variable from which the engine's programs take it. Empty when the address has no variable or no password. */
export function passwordSteps(
  { source, password }: { readonly source: string; readonly password: string | null },
  into: "PGPASSWORD" | "MYSQL_PWD",
): readonly string[] {
  const name = /^env:(.+)$/s.exec(source)?.[1];
  if (name === undefined || password === null) return [];
  const script = awkScript(name);
  return [
    `${into}=$(LC_ALL=C awk ${quoteForShell(script)})`,
    `test -n "$${into}"`,
    `export ${into}`,
  ];
}

/** What is between the first colon and the last @ before the host, else the setting `password`; %40 and the like are decoded. */
function awkScript(name: string): string {
  const variable = name.replaceAll(/["\\]/g, String.raw`\$&`);
  return [
    `BEGIN{u=ENVIRON["${variable}"];a=u`,
    String.raw`sub(/^[^:]*:\/\//,"",a)`,
    String.raw`sub(/[\/?#].*/,"",a)`,
    'if(sub(/@[^@]*$/,"",a)&&sub(/^[^:]*:/,"",a))p=a',
    "else if(match(u,/[?&]password=[^&#]*/))p=substr(u,RSTART+10,RLENGTH-10)",
    'h="0123456789abcdef"',
    'while(match(p,/%[0-9A-Fa-f][0-9A-Fa-f]/)){o=o substr(p,1,RSTART-1) sprintf("%c",16*index(h,tolower(substr(p,RSTART+1,1)))+index(h,tolower(substr(p,RSTART+2,1)))-17)',
    'p=substr(p,RSTART+3)}printf "%s",o p}',
  ].join(";");
}
