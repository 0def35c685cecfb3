/** Options that were not given, left out: an operation tells "not said" by the key that is not there. */
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
