/** Workers: the queues that they serve, and the waiting calls. */
import { type Content, useResource } from '../../data/resource.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'

const refreshMs = 3_000

type Population = Content<Awaited<ReturnType<typeof useWorkers>>['value']>

function useWorkers() {
  const { environmentId, environment } = useEnvironment()
  return useResource(['workers', environmentId], (options) => environment.workers.get(options), { every: refreshMs })
}

export default function WorkersPage() {
  return (
    <Page title="Workers" about="Processes of yours that lease calls of operations from queues and execute them.">
      <Shown resource={useWorkers()}>
        {(population) =>
          population.queues.length === 0 ? (
            <Empty icon="plug" title="No workers">
              Calls of an operation with a <code>worker</code> handler wait in its queue until one of your processes
              leases them, for instance with <code>troupe.worker()</code> of the SDK.
            </Empty>
          ) : (
            <Found population={population} />
          )
        }
      </Shown>
    </Page>
  )
}

function Found({ population: { queues, workers } }: { population: NonNullable<Population> }) {
  return (
    <>
      <Table
        label="queues"
        items={queues}
        keyOf={({ queue }) => queue}
        columns={[
          { title: 'Queue', cell: ({ queue }) => <code>{queue}</code> },
          { title: 'Workers', cell: ({ workers }) => workers, align: 'end' },
          { title: 'Waiting', cell: ({ waiting }) => waiting, align: 'end' },
          { title: 'Leased', cell: ({ leased }) => leased, align: 'end' },
          {
            title: 'Waiting since',
            cell: ({ oldestWaitingSince }) =>
              oldestWaitingSince === null ? <span className="faint none">–</span> : <Time at={oldestWaitingSince} />,
          },
        ]}
      />
      <h2>Seen in the last minute</h2>
      {workers.length === 0 ? (
        <p className="faint">No worker is polling this queue. Its calls wait until they time out.</p>
      ) : (
        <Table
          label="workers"
          items={workers}
          keyOf={({ queue, workerId }) => `${queue} ${workerId}`}
          columns={[
            { title: 'Worker', cell: ({ workerId }) => <code>{workerId}</code> },
            { title: 'Queue', cell: ({ queue }) => <code>{queue}</code> },
            { title: 'Operations', cell: ({ operations }) => <Operations names={operations} /> },
            { title: 'Leased', cell: ({ leased }) => leased, align: 'end' },
            { title: 'Requested', cell: ({ slots }) => slots, align: 'end' },
            { title: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
          ]}
        />
      )}
    </>
  )
}

const Operations = ({ names }: { names: readonly string[] | null }) =>
  names === null ? 'all' : <span className="clamp">{names.join(', ')}</span>
