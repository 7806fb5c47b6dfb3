/** The execution of a run, for readers interested in the server rather than in the answer. */
import { ActorChart } from '../../../../charts/lazy.ts'
import { Tabs } from '../../../../ui/tabs.tsx'
import { Checkpoints } from '../../steps/checkpoints.tsx'
import { Attempts, type AttemptsProps } from './attempts.tsx'
import { Journal } from './journal.tsx'

export const Machinery = ({ runId, roots }: AttemptsProps & { runId: string }) => (
  <Tabs
    label="Internals"
    name="part"
    tabs={[
      { title: 'Statechart', content: () => <ActorChart kind="run" id={runId} height={460} /> },
      { title: 'Attempts', content: () => <Attempts roots={roots} /> },
      { title: 'Checkpoints', content: () => <Checkpoints runId={runId} /> },
      { title: 'Journal', content: () => <Journal runId={runId} /> },
    ]}
  />
)
