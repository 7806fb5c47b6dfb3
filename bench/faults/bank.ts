/** The endpoint of the operations and of the webhook; counts what arrives. */

const operation = (name: string, changes: object = {}) => ({
  name,
  description: 'Takes money: once.',
  inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  effect: 'write',
  idempotent: false,
  approval: 'never',
  handler: { type: 'http', connection: 'bank', method: 'POST', path: `/${name}/{{input.number}}` },
  ...changes,
})

/** `charge` must not be repeated, nor `guarded`, which somebody has to approve; `put` may be. */
export const operations = [
  operation('charge'),
  operation('guarded', { approval: 'always' }),
  operation('put', { idempotent: true }),
]

export interface Bank {
  url: string
  /** The calls that must not be repeated, by their number. */
  charges: Map<number, number>
  /** The deliveries of each event, by its id. */
  deliveries: Map<string, number>
  stop(): void
}

export function startBank(): Bank {
  const charges = new Map<number, number>()
  const deliveries = new Map<string, number>()
  const count = <Key>(counts: Map<Key, number>, key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const [, what, number] = new URL(request.url).pathname.split('/')
      if (what === 'charge' || what === 'guarded') count(charges, Number(number))
      if (what === 'events') count(deliveries, request.headers.get('webhook-id') ?? '')
      return Response.json({ done: what })
    },
  })
  return { charges, deliveries, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}
