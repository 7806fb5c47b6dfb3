/**
 * Maps addresses to pages. Pages load on first visit; each is the default export of a file below `pages/`. `places.ts` has the
 * address scheme.
 */
import { type ComponentType, useEffect, useState } from 'react'
import { Loading, NotLoaded } from './ui/states.tsx'

interface PageRoute {
  path: string
  page: ComponentType
}

type Load = () => Promise<{ default: ComponentType }>

const organization = '/o/:organization'
const project = `${organization}/p/:projectId`
const environment = `${project}/e/:environmentId`

const pages: [path: string, load: Load][] = [
  [organization, () => import('./pages/overview/organization.tsx')],
  [`${organization}/alerts`, () => import('./pages/alerts/list.tsx')],
  [`${organization}/alerts/:alertRuleId`, () => import('./pages/alerts/alert.tsx')],
  [`${organization}/inbox`, () => import('./pages/inbox/inbox.tsx')],
  [`${organization}/projects`, () => import('./pages/projects/list.tsx')],
  [`${organization}/runs`, () => import('./pages/runs/list/list.tsx')],
  [`${organization}/runs/compare`, () => import('./pages/runs/compare/compare.tsx')],
  [`${organization}/runs/:runId`, () => import('./pages/runs/run/run.tsx')],
  [`${organization}/playground`, () => import('./pages/runs/playground/organization-playground.tsx')],
  [`${organization}/statecharts`, () => import('./pages/statecharts/gallery.tsx')],
  [`${organization}/statecharts/:kind`, () => import('./pages/statecharts/machine.tsx')],
  // before the route of actors; no kind has this name
  [`${organization}/statecharts/:kind/simulator`, () => import('./pages/statecharts/simulator/simulator.tsx')],
  [`${organization}/statecharts/:kind/:actorId/simulator`, () => import('./pages/statecharts/simulator/simulator.tsx')],
  [`${organization}/statecharts/:kind/:actorId`, () => import('./pages/statecharts/actor/actor.tsx')],
  [`${organization}/settings`, () => import('./pages/settings/organization/organization.tsx')],
  [`${organization}/settings/members`, () => import('./pages/settings/access/members.tsx')],
  [`${organization}/settings/groups`, () => import('./pages/settings/access/groups.tsx')],
  [`${organization}/settings/groups/:userGroupId`, () => import('./pages/settings/access/group.tsx')],
  [`${organization}/settings/keys`, () => import('./pages/settings/api-keys/keys.tsx')],
  [`${organization}/settings/keys/:keyId`, () => import('./pages/settings/api-keys/key.tsx')],
  [`${organization}/settings/runners`, () => import('./pages/settings/organization/runner-pools.tsx')],
  [`${organization}/settings/runners/:poolId`, () => import('./pages/settings/organization/runner-pool.tsx')],
  [`${organization}/settings/credentials`, () => import('./pages/settings/provider-credentials/credentials.tsx')],
  [
    `${organization}/settings/credentials/:credentialId`,
    () => import('./pages/settings/provider-credentials/credential.tsx'),
  ],
  [`${organization}/settings/variables`, () => import('./pages/settings/variables/variables.tsx')],
  [`${organization}/settings/integrations`, () => import('./pages/settings/connections/integrations.tsx')],
  [`${organization}/settings/billing`, () => import('./pages/settings/billing/billing.tsx')],
  [`${organization}/settings/audit`, () => import('./pages/settings/organization/audit.tsx')],
  [`${organization}/settings/servers`, () => import('./pages/settings/organization/servers.tsx')],
  [`${organization}/settings/account`, () => import('./pages/settings/account/account.tsx')],
  [project, () => import('./pages/projects/project.tsx')],
  [`${project}/agents`, () => import('./pages/agents/list.tsx')],
  [`${project}/agents/:agentId`, () => import('./pages/agents/agent.tsx')],
  [`${project}/definitions`, () => import('./pages/definitions/list.tsx')],
  [`${project}/definitions/:definitionId`, () => import('./pages/definitions/definition.tsx')],
  [
    `${project}/definitions/:definitionId/revisions/:revisionId/simulator`,
    () => import('./pages/definitions/simulator.tsx'),
  ],
  [`${project}/releases`, () => import('./pages/releases/list.tsx')],
  [`${project}/releases/:releaseId`, () => import('./pages/releases/release.tsx')],
  [`${project}/settings`, () => import('./pages/projects/settings.tsx')],
  [`${project}/access`, () => import('./pages/settings/access/access.tsx')],
  [environment, () => import('./pages/delivery/environment.tsx')],
  [`${environment}/deployments/:deploymentId`, () => import('./pages/delivery/deployment.tsx')],
  [`${environment}/applies/:applyId`, () => import('./pages/applies/apply.tsx')],
  [`${environment}/configuration`, () => import('./pages/delivery/configuration.tsx')],
  [`${environment}/configuration/variables`, () => import('./pages/settings/variables/environment-variables.tsx')],
  [`${environment}/configuration/connections`, () => import('./pages/settings/connections/connections.tsx')],
  [
    `${environment}/configuration/connections/:connectionId`,
    () => import('./pages/settings/connections/connection.tsx'),
  ],
  [`${environment}/configuration/models`, () => import('./pages/settings/models.tsx')],
  [`${environment}/runs`, () => import('./pages/runs/list/list.tsx')],
  [`${environment}/playground`, () => import('./pages/runs/playground/playground.tsx')],
  [`${environment}/approvals`, () => import('./pages/operations/approvals/page.tsx')],
  [`${environment}/invocations`, () => import('./pages/operations/invocations.tsx')],
  [`${environment}/workers`, () => import('./pages/operations/workers.tsx')],
  [`${environment}/workflows`, () => import('./pages/workflows/list.tsx')],
  [`${environment}/workflows/:workflowRunId`, () => import('./pages/workflows/workflow.tsx')],
  [`${environment}/jobs`, () => import('./pages/agent-jobs/list.tsx')],
  [`${environment}/entities`, () => import('./pages/entities/list.tsx')],
  [`${environment}/entities/:type/:entityId`, () => import('./pages/entities/entity.tsx')],
  [`${environment}/events`, () => import('./pages/events/list.tsx')],
  [`${environment}/webhooks`, () => import('./pages/webhooks/list.tsx')],
  [`${environment}/webhooks/:webhookId`, () => import('./pages/webhooks/webhook.tsx')],
]

/** Not `lazy`: React delays suspended content by 300 ms. */
function onDemand(load: Load): ComponentType {
  let known: ComponentType | undefined
  return function OnDemand() {
    const [Page, setPage] = useState(() => known)
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (known) return
      let isHere = true
      load().then(
        (module) => {
          known = module.default
          if (isHere) setPage(() => module.default)
        },
        () => isHere && setFailed(true),
      )
      return () => {
        isHere = false
      }
    }, [])
    if (failed) return <NotLoaded what="This page" />
    return Page ? <Page /> : <Loading />
  }
}

export const routes: PageRoute[] = pages.map(([path, load]) => ({ path, page: onDemand(load) }))
