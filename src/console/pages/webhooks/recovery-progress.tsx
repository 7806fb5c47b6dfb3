/** Progress of a running recovery, with cancel. */
import { useEffect, useRef } from 'react'
import type { Recovery } from '../../../events/webhooks/recoveries/schema.ts'
import { useAction } from '../../data/action.ts'
import { useResource } from '../../data/resource.ts'
import { counted } from '../../ui/counted.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Progress } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToasts } from '../../ui/toasts.tsx'
import { useEnvironment } from '../../use-environment.ts'

/** Polling interval. */
export const recoveryMs = 1_000

/** `3 failed deliveries and 1 missed event queued` */
function broughtBack({ progress: { retried, made } }: Recovery): string {
  const parts = [
    ...(retried > 0 ? [counted(retried, 'failed delivery', 'failed deliveries')] : []),
    ...(made > 0 ? [counted(made, 'missed event')] : []),
  ]
  return parts.length === 0 ? 'nothing queued' : `${parts.join(' and ')} queued`
}

const under = { 'dead-letter': 'failed deliveries', missed: 'missed events' }

const endings = {
  completed: { tone: 'good', title: 'Recovery completed' },
  canceled: { tone: 'plain', title: 'Recovery canceled' },
  failed: { tone: 'bad', title: 'Recovery failed' },
} as const

export function RecoveryProgress({ webhookId }: { webhookId: string }) {
  const { environmentId, environment } = useEnvironment()
  const { say } = useToasts()
  const { recoveries } = environment.webhooks({ webhookId })
  const newest = useResource(
    ['webhooks', environmentId, webhookId, 'recoveries', 'newest'],
    (options) => recoveries.get({ ...options, query: { limit: 1 } }),
    { every: (newest) => (newest?.items[0]?.state === 'running' ? recoveryMs : null) },
  )
  const recovery = newest.value?.items[0]
  const isRunning = recovery?.state === 'running'
  const cancel = useAction((recoveryId: string) => recoveries({ recoveryId }).cancel.post(), {
    changes: [['webhooks', environmentId, webhookId]],
  })

  // toast for users who saw it running
  const seen = useRef<string>(undefined)
  useEffect(() => {
    if (!recovery) return
    if (recovery.state === 'running') seen.current = recovery.id
    else if (seen.current === recovery.id) {
      seen.current = undefined
      say({ ...endings[recovery.state], text: recovery.error?.message ?? `${broughtBack(recovery)}.` })
    }
  }, [recovery, say])

  if (!recovery || !isRunning) return null
  const [current] = recovery.progress.left
  return (
    <section className="panel recovery" aria-label="Recovery">
      <Progress label={`Recovering${current ? ` ${under[current]}` : ''}: ${broughtBack(recovery)} so far`} />
      <div className="section-head">
        <span className="faint">
          Events since <Time at={recovery.since} />, started <Time at={recovery.createdAt} />
        </span>
        <Button needs="webhooks:retry-dead" small pending={cancel.pending} onClick={() => cancel.run(recovery.id)}>
          Cancel recovery
        </Button>
      </div>
    </section>
  )
}
