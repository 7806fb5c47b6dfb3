/** An organization with data for every page of the console. */
import { routes } from '../../../src/console/routes.tsx'
import type { Client } from '../../support/client.ts'
import { type Authored, author } from './authored.ts'
import { type Endpoints, type Happened, happen } from './happened.ts'
import { maker } from './maker.ts'
import { type Organized, organize } from './organized.ts'
import { plainWords, type Words } from './words.ts'

export interface Filled extends Authored, Organized, Happened {
  /** The address of a page, built from its route path. */
  address(path: string): string
  /** One address for every page of the console. */
  addresses: string[]
}

export async function fill(owner: Client, endpoints: Endpoints, words: Words = plainWords): Promise<Filled> {
  const api = maker(owner)
  const hostile = words !== plainWords
  const organized = await organize(api, words, hostile)
  const authored = await author(api, words, 'support-desk', hostile)
  const happened = await happen(api, words, authored, organized, endpoints)
  const { id: alertRuleId } = await api.post('/api/v1/alert-rules', {
    name: words('Runs fail'),
    condition: { type: 'failing', count: 1, withinMinutes: 60 },
  })
  const made = { ...organized, ...authored, ...happened }
  const names: Record<string, string> = {
    ...(Object.fromEntries(Object.entries(made).filter(([, value]) => typeof value === 'string')) as object),
    organization: 'default',
    alertRuleId,
    kind: 'run',
    actorId: happened.runId,
    definitionId: authored.definitionIds.operations,
    releaseId: authored.releaseIds[1],
    type: authored.orderName,
  }
  // the simulated revision is that of an entity
  const ofEntity = { definitionId: authored.definitionIds.entity, revisionId: authored.entityRevisionId }
  const address = (path: string) =>
    path.replace(/:(\w+)/g, (_, name: string) => {
      const value = (path.includes(':revisionId') ? { ...names, ...ofEntity } : names)[name]
      if (value === undefined) throw new Error(`Nothing is there for :${name} of ${path}.`)
      return value
    })
  return { ...made, address, addresses: routes.map(({ path }) => address(path)) }
}
