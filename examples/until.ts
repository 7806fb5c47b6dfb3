/** Waiting, for the examples: an answer is asked for until it is as wanted. */
import { troupe } from './settings.ts'

/** Asks until the answer is as wanted. */
export async function until<Answer>(ask: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The Deployment once it is ready. Throws its reason when it will never be. */
export async function ready(path: { projectId: string; environmentId: string; deploymentId: string }) {
  const deployment = await until(
    () => troupe.deployments.get(path),
    ({ state }) => ['ready', 'failed', 'canceled'].includes(state),
  )
  if (deployment.state !== 'ready') throw new Error(JSON.stringify(deployment.stateReason))
  return deployment
}
