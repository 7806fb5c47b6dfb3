/** Contents of a revision of a Definition, by its kind. */
import { Suspense } from 'react'
import type { Definition, DefinitionRevision } from '../../../authoring/definitions/schema.ts'
import type {
  EntitySource,
  Operation,
  OperationsSource,
  WorkflowSource,
} from '../../../authoring/definitions/source.ts'
import { lazyPart } from '../../lazy-part.ts'
import { at, projectOf } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Json } from '../../ui/text/code.tsx'
import { usePlace } from '../../use-place.ts'
import { WorkflowSteps } from './workflow-steps.tsx'
import './definitions.css'

const EntityChart = lazyPart(() => import('./entity-chart.tsx'))

interface SourceViewProps {
  definition: Definition
  revision: DefinitionRevision
}

export function SourceView({ definition, revision }: SourceViewProps) {
  const { source } = revision
  const place = projectOf(usePlace())
  return (
    <>
      {definition.kind === 'operations' && <Operations source={source as OperationsSource} of={definition.name} />}
      {definition.kind === 'workflow' && <WorkflowSteps source={source as WorkflowSource} />}
      {definition.kind === 'entity' && (
        <Section
          title="States"
          actions={
            <LinkButton
              icon="run"
              small
              href={at(place, 'definitions', definition.id, 'revisions', revision.id, 'simulator')}
            >
              Simulate
            </LinkButton>
          }
        >
          <Suspense fallback={<Loading />}>
            <EntityChart projectId={definition.projectId} definitionId={definition.id} revisionId={revision.id} />
          </Suspense>
        </Section>
      )}
      {definition.kind === 'entity' && (
        <Section title="Data schema">
          <Json label="schema" value={(source as EntitySource).schema} />
        </Section>
      )}
      {definition.kind !== 'entity' && (
        <Section title="Source">
          <Json label="source" value={source} />
        </Section>
      )}
    </>
  )
}

function handlerOf({ handler }: Operation): string {
  if (handler.type === 'http') return `${handler.method} ${handler.path} over ${handler.connection}`
  if (handler.type === 'mcp') return `the tool ${handler.tool} over ${handler.connection}`
  if (handler.type === 'agent') return `runs the Agent ${handler.agent}`
  if (handler.type === 'entity') return `${handler.action}s ${handler.entity}`
  if (handler.type === 'worker') return `a worker of the queue ${handler.queue}`
  return 'returns its input'
}

const Operations = ({ source, of }: { source: OperationsSource; of: string }) => (
  <Section title="Operations">
    <Table
      label="operations"
      items={source.operations}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: ({ name }) => <code>{`${of}.${name}`}</code> },
        { title: 'Description', cell: ({ description }) => description },
        { title: 'Handler', cell: (operation) => <code>{handlerOf(operation)}</code> },
        {
          title: 'Effect',
          cell: ({ effect, idempotent, approval }) => (
            <span className="row">
              <Tag>{effect}</Tag>
              {effect === 'write' && idempotent && <Tag>idempotent</Tag>}
              {approval === 'always' && <Tag>approval</Tag>}
            </span>
          ),
        },
      ]}
    />
  </Section>
)
