/** Table of differences between a Project's Environments. */
import { useState } from 'react'
import { type Api, ApiFailure } from '../../../api/client.ts'
import { useApi } from '../../../data/context.ts'
import { useReading } from '../../../data/resource.ts'
import { wholeList } from '../../../data/whole-list.ts'
import { counted } from '../../../ui/counted.ts'
import { Empty, Loading } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { type Environment, kindNames, type ServedByEnvironment } from '../environments.ts'
import { useParts } from '../parts.ts'
import { differencesOf, type Row, type Side } from './differences.ts'

type Connections = Side['connections']

/** Connection names; empty without the permission to list them. */
async function readConnections(api: Api, environments: readonly Environment[]): Promise<Connections[]> {
  const reading = environments.map(async ({ projectId, id: environmentId }): Promise<Connections> => {
    const { connections } = api.v1.projects({ projectId }).environments({ environmentId })
    try {
      const all = await wholeList((query) => connections.get({ query }))
      return new Map(
        all.map(({ id, name, currentVersion }) => [
          id,
          { name, versionId: currentVersion.id, version: currentVersion.number },
        ]),
      )
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.status === 403) return new Map()
      throw thrown
    }
  })
  return Promise.all(reading)
}

interface DifferencesProps {
  environments: Environment[]
  served: ServedByEnvironment
}

export function Differences({ environments, served }: DifferencesProps) {
  const api = useApi()
  const [onlyDifferent, setOnlyDifferent] = useState(false)
  const projectId = environments[0]?.projectId ?? ''
  const parts = useParts(projectId)
  const connections = useReading(['connections', 'names', ...environments.map(({ id }) => id)], () =>
    readConnections(api, environments),
  )
  if (parts.loading || connections.loading) return <Loading rows={4} />

  const sides = environments.map(
    ({ id }, place): Side => ({
      served: served.get(id) ?? null,
      connections: connections.value?.[place] ?? new Map(),
    }),
  )
  const nameOf = parts.value?.nameOf ?? ((id: string) => id)
  const groups = differencesOf(sides, nameOf)
  if (groups.length === 0) {
    return (
      <Empty icon="rocket" title="No active Deployments">
        Differences between Environments appear here once Deployments are active.
      </Empty>
    )
  }
  const count = groups.flatMap(({ rows }) => rows).filter(({ differs }) => differs).length
  return (
    <div className="stack">
      <div className="differences-head">
        <span>{count === 0 ? 'All active Deployments are the same.' : `${counted(count, 'difference')}.`}</span>
        {count > 0 && (
          <label className="differences-only">
            <input
              type="checkbox"
              checked={onlyDifferent}
              onChange={({ target }) => setOnlyDifferent(target.checked)}
            />
            Only differences
          </label>
        )}
      </div>
      {groups.map(({ title, rows }) => {
        const shown = onlyDifferent ? rows.filter(({ differs }) => differs) : rows
        return shown.length === 0 ? null : (
          <GroupTable key={title} title={title} rows={shown} environments={environments} />
        )
      })}
    </div>
  )
}

const GroupTable = ({ title, rows, environments }: { title: string; rows: Row[]; environments: Environment[] }) => (
  <div className="differences">
    <Table
      label={`${title} in each Environment`}
      items={rows}
      keyOf={({ name }) => name}
      columns={[
        { title, cell: ({ name }) => name },
        ...environments.map(({ kind }, place) => ({
          title: kindNames[kind],
          cell: ({ cells, differs }: Row) => (
            <span className={differs ? 'differs' : cells[place] === null ? 'faint' : undefined}>
              {cells[place] ?? '–'}
              {differs && <span className="visually-hidden"> (differs)</span>}
            </span>
          ),
        })),
      ]}
    />
  </div>
)
