import { describe, expect, it } from "vitest";
import { asBytePath } from "../byte-path.ts";
import { nameKind } from "../sensitive-name.ts";
import { isLookedInto, ruleInFile, verdictOf } from "./judge-file.ts";

/** Random-looking characters that are the same in every run. */
function noise(
  length: number,
  alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789",
): string {
  let state = 4_711;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += alphabet.charAt(state % alphabet.length);
  }
  return text;
}

const HEX = "0123456789abcdef";
/** Put together here so that no scanner stops at this file. */
const GITHUB = ["ghp", noise(36)].join("_");
const OPENROUTER = ["sk-or", "v1", noise(64, HEX)].join("-");
const TAILSCALE = ["tskey", "auth", `k${noise(10)}CNTRL`, noise(32)].join("-");
const pem = (kind: string): string =>
  [`-----BEGIN ${kind}-----`, noise(64), noise(64), `-----END ${kind}-----`, ""].join("\n");
const PRIVATE = pem(["PRIVATE", "KEY"].join(" "));

function judge(path: string, content: string): string {
  const kind = nameKind(asBytePath(path));
  const isBinary = content.includes("\0");
  const rule = isLookedInto(kind, true) ? ruleInFile(kind, content, isBinary) : undefined;
  const verdict = verdictOf(kind, rule);
  return verdict === undefined ? "ordinary" : verdict.isSure ? "sure" : "suspected";
}

/** No checkpoint holds these. */
const SURE: readonly (readonly [path: string, content: string])[] = [
  [".env", "DB_PASSWORD=hunter2\n"],
  [".env", "A=1\n"],
  [".env.production", `export OPENROUTER_API_KEY="${OPENROUTER}" # mine\n`],
  ["prod.env", "TOKEN: abc\n"],
  [".envrc", `use flake\nexport TS_KEY=${TAILSCALE}\n`],
  ["..env.swp", "b0VIM 9.0\0\0\0"],
  [".vault-pass", "correct horse\n"],
  [".vault_password", "correct horse\n"],
  ["rclone.conf", "[drive]\ntype = drive\n"],
  ["serviceAccountKey.json", "{}\n"],
  ["shop-firebase-adminsdk-abc12-0123456789.json", "{}\n"],
  [
    "conf/account.json",
    `{\n "type": "service_account",\n "private_key": ${JSON.stringify(PRIVATE)}\n}\n`,
  ],
  [".netrc", "machine shop.io login me password hunter2\n"],
  ["id_ed25519", PRIVATE],
  ["server.key", PRIVATE],
  ["deploy_key", PRIVATE],
  ["deploy_key", `# of the shop\n${pem("CERTIFICATE")}${PRIVATE}`],
  ["server.pem", pem("CERTIFICATE") + PRIVATE],
  ["config/master.key", noise(32, HEX)],
  ["server.key", `0\u0082\u0004\u00a4\u0002\u0001\0${noise(60)}`],
  [".npmrc", `//npm.shop.io/:_authToken=${noise(36)}\n`],
  [".npmrc", "//npm.shop.io/:_password=aHVudGVyMg==\n"],
  [".yarnrc.yml", "npmScopes:\n  shop:\n    npmAuthToken: 0a1b2c3d\n"],
  [".pypirc", "[pypi]\nusername = me\npassword = hunter2\n"],
  [".m2/settings.xml", "<server><id>shop</id><password>hunter2-of-shop</password></server>\n"],
  ["kubeconfig", `token: ${GITHUB}\n`],
  ["secrets.yml", `github: ${GITHUB}\n`],
  [".docker/config.json", `{"password": "${GITHUB}"}\n`],
];

/** Nobody would call these samples. */
const SAMPLE_WORDS_IN_VALUES: typeof SURE = [
  [".env", "DATABASE_URL=postgres://app:Xk29vmQzTT8@db.acme.io/todo\n"],
  [".env", "DB_PASSWORD=Sommer123456789\n"],
  [".env", "API_TOKEN=sk-live-9aX3k1PqR77todoZ2mN5vB8c\n"],
  [".env", "SMTP_URL=smtp://u:9aX3k1PqR77@mail.sample-corp.com\n"],
];

/** Checkpoints hold these, and they stay on this machine. */
const SUSPECTED: typeof SURE = [
  ["src/client.ts", `const key = "${OPENROUTER}";\n`],
  ["infra/up.sh", `tailscale up --authkey ${TAILSCALE}\n`],
  ["deploy.sh", "curl -sS -u deploy:s3cr3t-Pa55 https://shop.io/api\n"],
  ["deploy.sh", "curl \\\n  --user 'deploy:s3cr3t-Pa55' https://shop.io/api\n"],
  ["pom.xml", "<password>s3cr3t-Pa55</password>\n"],
  ["test/token.test.ts", `expect(mask("${GITHUB}")).toBe("***");\n`],
  ["test/key.test.ts", `const key = \`${PRIVATE}\`;\n`],
  ["shop/settings.py", `SECRET_KEY = "${noise(50)}"\n`],
  ["k8s/secret.yaml", "kind: Secret\nstringData:\n  password: {{ .Values.password }}\n"],
  ["k8s/secret.yaml", `kind: Secret\ndata:\n  password: ${noise(32)}\n`],
  [".env.test", "DATABASE_URL=postgres://test:test@localhost/test\n"],
  ...SAMPLE_WORDS_IN_VALUES,
  [".env", "export BIN=$HOME/Xk29vmQzTT8\n"],
  [".env", "DB_URL=postgres://app:Xk29vmQzTT8@${DB_HOST}/app\n"],
  [".env", "PASSWORD=${DB_PASSWORD:-Xk29vmQzTT8}\n"],
  ["terraform.tfstate", '{"version": 4}\n'],
  ["credentials.json", '{"installed": {}}\n'],
  ["server.key", "what is this?\n"],
  [".env.example", `TOKEN=${GITHUB}\n`],
];

const ORDINARY: typeof SURE = [
  [".yarnrc.yml", "nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.1.0.cjs\n"],
  [".npmrc", "save-exact=true\n//npm.shop.io/:_authToken=${NPM_TOKEN}\n"],
  [".pypirc", "[distutils]\nindex-servers = pypi\n"],
  ["presentation.key", "PK\u0003\u0004\u0014\0\0\0Index/Document.iwa"],
  ["server.pem", pem("CERTIFICATE")],
  ["public.key", pem("PUBLIC KEY")],
  ["empty.key", ""],
  [".env", "# copy me\nTOKEN=\nAPI_KEY=your-api-key\nexport OTHER=${OTHER} # from CI\nLAST=''\n"],
  [
    ".env",
    "A=changeme\nB=<your token>\nC=your_stripe_key\nD=sk-xxxxxxxxxxxx\nE={{ token }}\nF=https://example.com\nG=replace-with-real-key\n",
  ],
  [".env", ""],
  [
    ".envrc",
    "# direnv\nuse flake\nlayout node\nPATH_add bin\nsource_up_if_exists\nexport ROOT=$PWD\n",
  ],
  [
    ".env.example",
    "TOKEN=changeme\nPORT=3000\nDEBUG=true\nX=\nDATABASE_URL=postgres://user:password@localhost/db\n",
  ],
  ["templates/secret.yaml", "password: {{ .Values.password }}\n"],
  ["shop/settings.py", 'SECRET_KEY = "django-insecure-k3j%8d@1x!q0z7^h2m"\n'],
  [
    "test/curl.sh",
    'curl -u "$USER:$PASSWORD" https://shop.io\ncurl -u user:password https://shop.io\n',
  ],
  ["pom.xml", "<password>${env.PASSWORD}</password><password>{aGVsbG8gd29ybGQ=}</password>\n"],
  [".m2/settings.xml", "<mirrors><mirror><id>central</id></mirror></mirrors>\n"],
  [
    "src/key.ts",
    `// -----BEGIN PUBLIC KEY-----\nexport const begin = "${PRIVATE.slice(0, 27)}";\n`,
  ],
  ["image.png", `\u0089PNG\0${GITHUB}`],
];

const named = (rows: typeof SURE): [string, string, string][] =>
  rows.map(([path, content]) => [path, content.slice(0, 40), content]);

describe("a file is", () => {
  it.each(named(SURE))("[R175] surely a secret: %s with %j", (path, _, content) => {
    expect(judge(path, content)).toBe("sure");
  });

  it.each(named(SUSPECTED))("[R175] only suspected: %s with %j", (path, _, content) => {
    expect(judge(path, content)).toBe("suspected");
  });

  it.each(named(ORDINARY))("[R175] ordinary: %s with %j", (path, _, content) => {
    expect(judge(path, content)).toBe("ordinary");
  });
});

describe("the content", () => {
  it("of names that say something is looked at whatever the settings say about others", () => {
    expect(isLookedInto("ordinary", false)).toBe(false);
    expect(isLookedInto("key", false)).toBe(true);
    expect(isLookedInto("sure", true)).toBe(false);
  });
});
