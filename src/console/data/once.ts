/** What never changes (revisions, Releases, Configuration Revisions) is read once for each organization that is looked at. */
import type { Api } from '../api/client.ts'

const known = new WeakMap<Api, Map<string, Promise<unknown>>>()

/** The value behind an id; a reading that failed is tried again the next time. */
export function once<Value>(api: Api, id: string, read: () => Promise<Value>): Promise<Value> {
  const ofApi = known.get(api) ?? new Map<string, Promise<unknown>>()
  known.set(api, ofApi)
  const reading = (ofApi.get(id) as Promise<Value> | undefined) ?? read()
  ofApi.set(id, reading)
  reading.catch(() => ofApi.delete(id))
  return reading
}
