/** Step "Deployment": combines a Release and a configuration. */
import { Link } from 'wouter'
import type { Release } from '../../../authoring/releases/schema.ts'
import type { Deployment } from '../../../delivery/deployments/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, type Place } from '../../places.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Time } from '../../ui/time.tsx'
import { DeploymentProgress, isOver } from './deployment-progress.tsx'
import type { Environment } from './environments.ts'

interface DeploymentStepProps {
  place: Place
  environment: Environment
  release: Release
  /** undefined: the current configuration. */
  configurationRevisionId: string | undefined
  credentials: Deployment['credentials']
  /** The submitted Deployment. */
  deployed: (deployment: Deployment) => void
  /** Newest Deployment of this Release, configuration and credentials choice. */
  deployment: Deployment | undefined
}

export function DeploymentStep(props: DeploymentStepProps) {
  const { place, environment, release, configurationRevisionId, credentials, deployed, deployment } = props
  const api = useApi()
  const { projectId, id: environmentId, lifecycle } = environment
  const { deployments } = api.v1.projects({ projectId }).environments({ environmentId })
  const changes = [
    ['deployments', environmentId],
    ['environments', projectId],
  ]
  const deploy = useAction(
    () =>
      deployments.post({
        releaseId: release.id,
        credentials,
        ...(configurationRevisionId !== undefined && { configurationRevisionId }),
      }),
    { changes: [...changes, ['configurations', environmentId]], done: deployed },
  )
  const cancel = useAction((deploymentId: string) => deployments({ deploymentId }).cancel.post(), {
    success: 'Deployment canceled',
    changes,
  })
  const endedBadly = deployment?.state === 'failed' || deployment?.state === 'canceled'
  return (
    <>
      {deployment && (
        <>
          <p className="row">
            <Link href={at(place, 'deployments', deployment.id)}>View Deployment</Link>
            <span className="faint">
              submitted <Time at={deployment.createdAt} />
            </span>
          </p>
          <DeploymentProgress key={deployment.id} place={place} deployment={deployment} />
        </>
      )}
      <div className="row path-choice">
        {(!deployment || endedBadly) && (
          <Button
            needs="deployments:create"
            tone={deployment ? 'plain' : 'primary'}
            disabled={lifecycle !== 'active'}
            pending={deploy.pending}
            onClick={() => deploy.run()}
          >
            {deployment ? 'Deploy again' : 'Deploy'}
          </Button>
        )}
        {deployment && !isOver(deployment) && (
          <Button needs="deployments:create" pending={cancel.pending} onClick={() => cancel.run(deployment.id)}>
            Cancel Deployment
          </Button>
        )}
        {!deployment && lifecycle !== 'active' && <span className="faint">The Environment is not active yet.</span>}
      </div>
    </>
  )
}
