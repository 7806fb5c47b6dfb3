/** Compares the active Deployments of several Environments. Pure. */
import type { Served } from '../pinned.ts'

export interface Row {
  name: string
  /** One value per Environment; null: absent. */
  cells: (string | null)[]
  differs: boolean
}

interface Group {
  title: string
  rows: Row[]
}

/** An Environment to compare. */
export interface Side {
  /** null: no active Deployment. */
  served: Served | null
  /** Names and current versions of its Connections, if permitted. */
  connections: ReadonlyMap<string, { name: string; versionId: string; version: number }>
}

type Entry = [name: string, value: string]

const boundName = (name: string, key: string | null, agent: string | null, nameOf: (id: string) => string) =>
  key === null || agent === null ? name : `${name} (${nameOf(agent)}, ${key})`

/** Rows of one kind. `equal`: values are treated as equal wherever they are present. */
function rowsOf(sides: readonly Side[], entriesOf: (side: Side & { served: Served }) => Entry[], equal = false): Row[] {
  const columns = sides.map(({ served, ...side }) => new Map(served ? entriesOf({ ...side, served }) : []))
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((one, other) =>
    one.localeCompare(other),
  )
  return names.map((name) => {
    const cells = columns.map((column) => column.get(name) ?? null)
    const compared = cells.filter((_, place) => sides[place]?.served)
    const differs = equal
      ? compared.includes(null) && compared.some((cell) => cell !== null)
      : new Set(compared).size > 1
    return { name, cells, differs }
  })
}

/** Groups without rows are omitted. */
export function differencesOf(sides: readonly Side[], nameOf: (id: string) => string): Group[] {
  const revision = ({ numbers }: Served, id: string) => `revision ${numbers.get(id) ?? '?'}`
  const groups: Group[] = [
    {
      title: 'Agents',
      rows: rowsOf(sides, ({ served }) =>
        served.release.agents.map(({ agentId }) => [nameOf(agentId), revision(served, agentId)]),
      ),
    },
    {
      title: 'Definitions',
      rows: rowsOf(sides, ({ served }) =>
        served.release.definitions.map(({ definitionId }) => [nameOf(definitionId), revision(served, definitionId)]),
      ),
    },
    {
      title: 'Variables',
      rows: rowsOf(sides, ({ served }) =>
        served.configuration.variables.map(({ name, version, agentId, bindingKey }) => [
          boundName(name, bindingKey, agentId, nameOf),
          `version ${version}`,
        ]),
      ),
    },
    {
      // each Environment has its own Connections: only a missing one is a difference
      title: 'Connections',
      rows: rowsOf(
        sides,
        ({ served, connections }) =>
          served.configuration.connections.map(({ connectionId, connectionVersionId, name, agentId, bindingKey }) => {
            const known = connections.get(connectionId)
            const shown = boundName(name ?? known?.name ?? connectionId, bindingKey, agentId, nameOf)
            return [shown, known?.versionId === connectionVersionId ? `version ${known.version}` : 'an earlier version']
          }),
        true,
      ),
    },
    {
      title: 'Models',
      rows: rowsOf(sides, ({ served }) =>
        served.configuration.providerSettings.map(({ agentId, provider, model }) => [
          nameOf(agentId),
          [provider ?? 'platform default', model].filter(Boolean).join(' · '),
        ]),
      ),
    },
  ]
  return groups.filter(({ rows }) => rows.length > 0)
}
