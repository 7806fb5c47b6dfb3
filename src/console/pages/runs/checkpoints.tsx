/** The checkpoints of a run, and what the latest one holds. */
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useResource } from '../../data/resource.ts'
import { Tag } from '../../ui/badge.tsx'
import { Json } from '../../ui/code.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { countText } from './steps.ts'

export function Checkpoints({ runId }: { runId: string }) {
  const api = useApi()
  const run = api.v1['agent-runs']({ agentRunId: runId })
  const pages = usePages(['runs', runId, 'checkpoints'], (options, page) =>
    run.checkpoints.get({ ...options, query: page }),
  )
  const isEmpty = pages.items?.length === 0 && pages.page === 1
  return (
    <div className="stack">
      <DataTable
        label="checkpoints"
        pages={pages}
        keyOf={({ checkpointId }) => String(checkpointId)}
        columns={[
          { title: 'Number', cell: ({ sequence }) => <span className="number">{sequence}</span> },
          { title: 'Kind', cell: ({ kind }) => <Tag>{kind}</Tag> },
          { title: 'Step', cell: ({ agentStepId }) => <code>{agentStepId}</code> },
          { title: 'Attempt', cell: ({ attempt }) => attempt, align: 'end' },
          { title: 'Size', cell: ({ artifact }) => `${countText(artifact.sizeBytes)} B`, align: 'end' },
          {
            title: 'Digest',
            cell: ({ artifact }) => <code title={artifact.digest}>{artifact.digest.slice(7, 19)}…</code>,
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <Empty icon="box" title="No checkpoints yet">
            Each step that is done leaves one: whatever happens, another attempt goes on from there.
          </Empty>
        }
      />
      {isEmpty === false && <Latest runId={runId} />}
    </div>
  )
}

function Latest({ runId }: { runId: string }) {
  const api = useApi()
  const latest = useResource(['runs', runId, 'latest'], (options) =>
    api.v1['agent-runs']({ agentRunId: runId }).checkpoints.latest.get(options),
  )
  return (
    <Section title="What the latest one holds">
      <Shown resource={latest}>
        {({ checkpoint, runtimeCheckpoint }) => (
          <>
            <p className="faint">
              Number {checkpoint.sequence}: {runtimeCheckpoint.messages.length} messages,{' '}
              {runtimeCheckpoint.pendingToolCalls.length} open calls. An attempt goes on from this.
            </p>
            <Json label="latest checkpoint" value={runtimeCheckpoint} />
          </>
        )}
      </Shown>
    </Section>
  )
}
