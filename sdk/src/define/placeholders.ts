/** Placeholders of an operation's input: `input.order.id` writes `{{input.order.id}}`. */

/** Where the server puts a value of the input: a text, and the placeholders of its members. */
export type Placeholder<Value> = string &
  (unknown extends Value
    ? { readonly [name: string]: Placeholder<unknown> }
    : Value extends readonly unknown[] | string | number | boolean | null | undefined
      ? unknown
      : { readonly [Name in keyof Value]-?: Placeholder<NonNullable<Value[Name]>> })

/** The placeholder with this path. It is written out when it becomes a text, or JSON. */
export function placeholder<Value>(path: string): Placeholder<Value> {
  const text = () => `{{${path}}}`
  const conversions = new Set<string | symbol>(['toString', 'toJSON', 'valueOf', Symbol.toPrimitive])
  return new Proxy(text, {
    get: (_, name) => (conversions.has(name) ? text : placeholder(`${path}.${String(name)}`)),
  }) as unknown as Placeholder<Value>
}
