/** Entities by type. */
import { useAddressQuery } from '../../address-query.ts'
import { usePages } from '../../data/pages.ts'
import { at, projectOf } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { Choice, Choices } from '../../ui/forms/choice.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { summaryOf } from './summary.ts'
import { type EntityType, useEntityTypes } from './types.ts'
import './entities.css'

const refreshMs = 8_000

export default function EntitiesPage() {
  const types = useEntityTypes()
  const place = usePlace()
  return (
    <Page
      title="Entities"
      about="Data with states, written by operations. The statechart of a type defines the transitions."
    >
      <Shown resource={{ ...types, loading: false, refreshing: false }}>
        {(types) =>
          types.length === 0 ? (
            <Empty
              icon="entity"
              title="No entity types"
              action={
                <LinkButton icon="book" href={at(projectOf(place), 'definitions')}>
                  Go to Definitions
                </LinkButton>
              }
            >
              A Definition of kind <code>entity</code> describes the data and its states. Its name is the type.
            </Empty>
          ) : (
            <OfTypes types={types} />
          )
        }
      </Shown>
    </Page>
  )
}

function OfTypes({ types }: { types: EntityType[] }) {
  const { values, change } = useAddressQuery('type', 'state')
  const type = types.find(({ name }) => name === values.type) ?? (types[0] as EntityType)
  const states = [...new Set([...type.states, ...(values.state ? [values.state] : [])])]
  return (
    <>
      <Choices>
        <Choice label="Type" value={type.name} onChange={(type) => change({ type, state: '' })}>
          {types.map(({ name, isDeployed }) => (
            <option key={name} value={name}>
              {isDeployed ? name : `${name} (not deployed)`}
            </option>
          ))}
        </Choice>
        <Choice label="State" value={values.state} onChange={(state) => change({ state })}>
          <option value="">Any</option>
          <Options of={states} />
        </Choice>
      </Choices>
      <OfType type={type.name} state={values.state} onAll={() => change({ state: '' })} />
    </>
  )
}

function OfType({ type, state, onAll }: { type: string; state: string; onAll: () => void }) {
  const place = usePlace()
  const { environmentId, environment } = useEnvironment()
  const entities = usePages(
    ['entities', environmentId, type, 'list', state],
    (options, page) => environment.entities({ type }).get({ ...options, query: { ...page, ...(state && { state }) } }),
    { every: refreshMs },
  )
  return (
    <DataTable
      label={`entities of type ${type}`}
      pages={entities}
      keyOf={({ id }) => id}
      href={({ id }) => at(place, 'entities', type, id)}
      columns={[
        { title: 'Entity', cell: ({ id }) => <Id id={id} copy={false} /> },
        { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { title: 'Data', cell: ({ data }) => <span className="clamp entity-summary">{summaryOf(data)}</span> },
        { title: 'Version', cell: ({ version }) => version, align: 'end' },
        { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
      ]}
      empty={
        state ? (
          <Empty
            icon="entity"
            title={`No ${type} in state ${state}`}
            action={<Button onClick={onAll}>Show all</Button>}
          />
        ) : (
          <Empty icon="entity" title={`No ${type} yet`}>
            Operations with a handler of type <code>entity</code> create entities.
          </Empty>
        )
      }
    />
  )
}
