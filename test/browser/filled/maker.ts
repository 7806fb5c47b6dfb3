/** Creates resources through the API; any error status throws. */
import type { Client, Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'

// biome-ignore lint/suspicious/noExplicitAny: what is read out of an answer here is checked by the API document
type Loose = any

function dataOf(path: string, { status, body }: Reply): Loose {
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
  return body?.data
}

export interface Maker {
  owner: Client
  get(path: string, query?: Record<string, string | number>): Promise<Loose>
  post(path: string, body?: object, headers?: Record<string, string>): Promise<Loose>
  patch(path: string, body: object): Promise<Loose>
  /** The resource, once it is in one of the states. */
  settled(path: string, ...states: string[]): Promise<Loose>
}

export function maker(owner: Client): Maker {
  const get: Maker['get'] = async (path, query = {}) => dataOf(path, await owner.get(path, { query }))
  return {
    owner,
    get,
    post: async (path, body, headers = {}) => dataOf(path, await owner.post(path, body, { headers })),
    patch: async (path, body) => dataOf(path, await owner.patch(path, body)),
    settled: (path, ...states) =>
      eventually(`${path} that is ${states.join(' or ')}`, async () => {
        const found = await get(path)
        return states.includes(found.state) && found
      }),
  }
}
