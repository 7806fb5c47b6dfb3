/** One Deployment: progress, facts, changes, statechart. */
import { Link } from 'wouter'
import type { Deployment } from '../../../delivery/deployments/schema.ts'
import { ActorChart } from '../../charts/lazy.ts'
import { useAction } from '../../data/action.ts'
import { useAccess, useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { actorAt, at, projectOf } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { useActivation } from './activation.ts'
import { ActivationNote } from './activation-note.tsx'
import { ChangesByDeployment } from './changes/changes.tsx'
import { DeploymentProgress, isOver } from './deployment-progress.tsx'
import { NumberOf } from './deployments.tsx'
import { type Environment, useEnvironment } from './environments.ts'
import { readConfiguration, readRelease } from './pinned.ts'

export default function DeploymentPage() {
  const api = useApi()
  const { projectId, environmentId, deploymentId } = useIds('projectId', 'environmentId', 'deploymentId')
  const environment = useEnvironment(projectId, environmentId)
  const deployment = useResource(['deployments', environmentId, deploymentId], (options) =>
    api.v1.projects({ projectId }).environments({ environmentId }).deployments({ deploymentId }).get(options),
  )
  return (
    <Shown resource={environment}>
      {(environment) => (
        <Shown resource={deployment}>{(deployment) => <One environment={environment} deployment={deployment} />}</Shown>
      )}
    </Shown>
  )
}

function One({ environment, deployment }: { environment: Environment; deployment: Deployment }) {
  const access = useAccess()
  const { api } = access
  const place = usePlace()
  const activating = useActivation(environment)
  const { projectId, id: environmentId, activeDeploymentId, generation } = environment
  const { id: deploymentId, state, releaseId, configurationRevisionId } = deployment
  const serves = deploymentId === activeDeploymentId
  const path = { projectId, environmentId }
  const ofDeployment = api.v1.projects({ projectId }).environments({ environmentId }).deployments({ deploymentId })
  const cancel = useAction(() => ofDeployment.cancel.post(), {
    success: 'Deployment canceled',
    changes: [['deployments', environmentId]],
  })
  const actions = (
    <>
      <LinkButton icon="chart" href={actorAt(place, 'deployment', deploymentId)}>
        Statechart
      </LinkButton>
      {!isOver(deployment) && (
        <Button needs="deployments:create" pending={cancel.pending} onClick={() => cancel.run()}>
          Cancel
        </Button>
      )}
      {state === 'ready' && !serves && (
        <ConfirmButton
          needs="activations:create"
          tone="primary"
          icon="rocket"
          shape="wide"
          pending={activating.pending}
          question="Activate this Deployment?"
          consequence={
            <>
              <p>
                Generation {generation} becomes {generation + 1}. Runs in progress stay with theirs.
              </p>
              <ChangesByDeployment environment={environment} deploymentId={deploymentId} />
            </>
          }
          confirm="Activate"
          onConfirm={() => activating.activate(deploymentId)}
        >
          Activate
        </ConfirmButton>
      )}
    </>
  )
  return (
    <Page
      title="Deployment"
      badge={
        <>
          <StateBadge state={state} />
          {serves && <StateBadge state="active" />}
        </>
      }
      up={{ title: environment.name, href: at(place) }}
      actions={actions}
    >
      <ActivationNote activating={activating} environment={environment} />
      <div className="panel">
        <DeploymentProgress place={place} deployment={deployment} />
      </div>
      <Facts
        facts={[
          ['ID', <Id key="id" id={deploymentId} />],
          [
            'Release',
            <Link key="release" href={at(projectOf(place), 'releases', releaseId)}>
              Release <NumberOf id={releaseId} read={() => readRelease(access, projectId, releaseId)} />
            </Link>,
          ],
          [
            'Configuration',
            <Link key="configuration" href={at(place, 'configuration')}>
              Configuration{' '}
              <NumberOf
                id={configurationRevisionId}
                read={() => readConfiguration(access, path, configurationRevisionId)}
              />
            </Link>,
          ],
          [
            'Credentials',
            deployment.credentials === 'current' ? 'as of its preparation' : 'as pinned by the configuration',
          ],
          ['Submitted', <Time key="at" at={deployment.createdAt} />],
          ['Created by', <Author key="by" by={deployment.createdBy} />],
          ['Ready', <Time key="ready" at={deployment.readyAt} />],
          ['Digest', deployment.digest ? <Id key="digest" id={deployment.digest} /> : '–'],
        ]}
      />
      {!serves && environment.activeDeploymentId !== null && (
        <Section title="Changes from the active Deployment">
          <ChangesByDeployment environment={environment} deploymentId={deploymentId} />
        </Section>
      )}
      <Section title="Statechart">
        <ActorChart kind="deployment" id={deploymentId} height={260} />
      </Section>
    </Page>
  )
}
