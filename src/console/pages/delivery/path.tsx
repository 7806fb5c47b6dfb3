/** The delivery path: choose a Release, configure, deploy, activate. */
import { type ReactNode, useState } from 'react'
import { Link, useSearch } from 'wouter'
import type { Release } from '../../../authoring/releases/schema.ts'
import type { ConfigurationRevision } from '../../../delivery/configuration-revisions/schema.ts'
import type { Deployment } from '../../../delivery/deployments/schema.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, type Place, projectOf } from '../../places.ts'
import { counted } from '../../ui/counted.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { opened } from '../../use-opened.ts'
import { useActivation } from './activation.ts'
import { ActivationNote } from './activation-note.tsx'
import { useCapture } from './capture.ts'
import { ChangesByDeployment } from './changes/changes.tsx'
import { ReleaseChanges } from './changes/release-changes.tsx'
import { DeploymentStep } from './deployment-step.tsx'
import type { Environment } from './environments.ts'
import type { Served } from './pinned.ts'

interface PathProps {
  place: Place
  environment: Environment
  /** The active Deployment; undefined while it is not known. */
  served: Served | null | undefined
}

/** Options per select; older ones have their own pages. */
const offered = 100

/** Option for the current configuration, which the server then captures. */
const asItIs = ''

export function Path({ place, environment, served }: PathProps) {
  const api = useApi()
  const { projectId, id: environmentId } = environment
  const project = api.v1.projects({ projectId })
  const ofEnvironment = project.environments({ environmentId })
  const query = { limit: offered }
  const releases = useResource(['releases', projectId, 'choice'], (options) =>
    project.releases.get({ ...options, query }),
  )
  const wanted = new URLSearchParams(useSearch()).get('release')
  const isOld = wanted !== null && releases.value?.items.every(({ id }) => id !== wanted)
  const old = useResource(isOld ? ['releases', projectId, wanted] : null, (options) =>
    project.releases({ releaseId: wanted ?? '' }).get(options),
  )
  const configurations = useResource(['configurations', environmentId, 'choice'], (options) =>
    ofEnvironment['configuration-revisions'].get({ ...options, query }),
  )
  const deployments = useResource(['deployments', environmentId, 'choice'], (options) =>
    ofEnvironment.deployments.get({ ...options, query }),
  )
  return (
    <Shown resource={releases}>
      {({ items: releases }) => (
        <Shown resource={configurations}>
          {({ items: configurations }) => (
            <Shown resource={deployments}>
              {({ items: deployments }) =>
                old.loading ? (
                  <Loading />
                ) : (
                  <>
                    {old.failure && (
                      <div className="banner banner-warning" role="status">
                        <Icon name="warning" />
                        <span>The Release of this address could not be loaded: {old.failure.message}</span>
                      </div>
                    )}
                    <Steps
                      {...{ place, environment, served, wanted, configurations, deployments }}
                      releases={[...releases, ...(old.value ? [old.value] : [])]}
                    />
                  </>
                )
              }
            </Shown>
          )}
        </Shown>
      )}
    </Shown>
  )
}

interface StepsProps extends PathProps {
  /** The Release in the query string. */
  wanted: string | null
  releases: Release[]
  configurations: ConfigurationRevision[]
  deployments: Deployment[]
}

function Steps({ place, environment, served, wanted, releases, configurations, deployments }: StepsProps) {
  const [chosenRelease, setRelease] = useState(wanted)
  const [chosenConfiguration, setConfiguration] = useState<string>()
  const [credentials, setCredentials] = useState<Deployment['credentials']>('pinned')
  const activating = useActivation(environment)
  const { configurationHead, activeDeploymentId, generation } = environment

  const release = releases.find(({ id }) => id === chosenRelease) ?? releases[0]
  const configurationId = chosenConfiguration ?? configurationHead.revisionId
  const configuration = configurations.find(({ id }) => id === configurationId)
  // the newest match; a failed one may be followed by another
  const deployment = deployments.find(
    (one) =>
      one.releaseId === release?.id &&
      one.configurationRevisionId === configurationId &&
      one.credentials === credentials,
  )
  const isReady = deployment?.state === 'ready'
  const serves = deployment !== undefined && deployment.id === activeDeploymentId

  return (
    <ol className="surface path" aria-label="Deliver">
      <PathStep number={1} title="Release" about="The revisions to deploy." done={release !== undefined}>
        {release ? (
          <>
            <div className="row path-choice">
              <select aria-label="Release" value={release.id} onChange={({ target }) => setRelease(target.value)}>
                {releases.map(({ id, number, description }) => (
                  <option key={id} value={id}>
                    {`Release ${number}${description ? `: ${description}` : ''}`}
                  </option>
                ))}
              </select>
              <Link href={at(projectOf(place), 'releases', release.id)}>View the Release</Link>
              <Link href={opened(at(projectOf(place), 'releases'), 'new')}>New release</Link>
            </div>
            <ReleaseChanges release={release} served={served} />
          </>
        ) : (
          <p>
            No Releases yet. <Link href={opened(at(projectOf(place), 'releases'), 'new')}>Create a Release</Link>
          </p>
        )}
      </PathStep>
      <PathStep number={2} title="Configuration" about="The configuration to deploy with." done>
        <div className="row path-choice">
          <select
            aria-label="Configuration Revision"
            value={configurationId}
            onChange={({ target }) => setConfiguration(target.value)}
          >
            <option value={asItIs}>Current configuration at deployment</option>
            {configurations.map(({ id, number, description }) => (
              <option key={id} value={id}>
                {`Configuration ${number}${description ? `: ${description}` : number === 0 ? ': empty' : ''}`}
                {id === configurationHead.revisionId ? ' (newest)' : ''}
              </option>
            ))}
          </select>
          <TakeConfiguration environment={environment} taken={setConfiguration} />
          <Link href={at(place, 'configuration')}>Configure</Link>
        </div>
        {configuration && (
          <p className="faint">
            {counted(configuration.variables.length, 'variable')},{' '}
            {counted(configuration.connections.length, 'Connection')},{' '}
            {counted(configuration.providerSettings.length, 'model')} · created <Time at={configuration.createdAt} />
          </p>
        )}
      </PathStep>
      <PathStep number={3} title="Deployment" about="Validated and built." done={isReady}>
        {release ? (
          <>
            <div className="row path-choice">
              <select
                aria-label="Credentials"
                value={credentials}
                onChange={({ target }) => setCredentials(target.value as Deployment['credentials'])}
              >
                <option value="pinned">Credentials pinned by the configuration</option>
                <option value="current">Current versions of credentials</option>
              </select>
            </div>
            <DeploymentStep
              {...{ place, environment, release, deployment, credentials }}
              configurationRevisionId={configurationId === asItIs ? undefined : configurationId}
              deployed={({ configurationRevisionId }) => setConfiguration(configurationRevisionId)}
            />
          </>
        ) : (
          <p className="faint">Choose a Release first.</p>
        )}
      </PathStep>
      <PathStep number={4} title="Activation" about="Makes the Deployment active." done={serves}>
        <ActivationNote activating={activating} environment={environment} />
        {isReady && <ChangesByDeployment environment={environment} deploymentId={deployment.id} />}
        {serves ? (
          <p className="row">
            <Icon name="check" /> Active as generation {generation}.
            <Link href={at(place, 'playground')}>Open the playground</Link>
          </p>
        ) : (
          <div className="row path-choice">
            <Button
              needs="activations:create"
              tone="primary"
              icon="rocket"
              disabled={!isReady}
              pending={activating.pending}
              onClick={() => deployment && activating.activate(deployment.id)}
            >
              Activate
            </Button>
            <span className="faint">
              {isReady
                ? `Generation ${generation} becomes ${generation + 1}.`
                : 'Available once the Deployment is ready.'}
            </span>
          </div>
        )}
      </PathStep>
    </ol>
  )
}

interface PathStepProps {
  number: number
  title: string
  about: string
  done: boolean
  children: ReactNode
}

const PathStep = ({ number, title, about, done, children }: PathStepProps) => (
  <li className={`path-step ${done ? 'step-done' : ''}`} data-done={done || undefined}>
    <span className="step-sign" aria-hidden="true">
      {done ? <Icon name="check" size={14} /> : number}
    </span>
    <div className="path-content">
      <div className="path-head">
        <h3>{title}</h3>
        <span className="faint">{about}</span>
      </div>
      {children}
    </div>
  </li>
)

function TakeConfiguration({ environment, taken }: { environment: Environment; taken: (id: string) => void }) {
  const capture = useCapture(environment, { done: ({ id }) => taken(id) })
  return (
    <Button needs="deployments:create" icon="plus" pending={capture.pending} onClick={() => capture.run('')}>
      Create revision
    </Button>
  )
}
