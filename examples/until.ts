/** Polls until an answer meets a condition. */
import { troupe } from './settings.ts'

/** Repeats the request until its answer meets the condition. */
export async function until<Answer>(ask: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The Deployment once it is ready. Throws its reason if it fails. */
export async function ready(path: { projectId: string; environmentId: string; deploymentId: string }) {
  const deployment = await until(
    () => troupe.deployments.get(path),
    ({ state }) => ['ready', 'failed', 'canceled'].includes(state),
  )
  if (deployment.state !== 'ready') throw new Error(JSON.stringify(deployment.stateReason))
  return deployment
}
