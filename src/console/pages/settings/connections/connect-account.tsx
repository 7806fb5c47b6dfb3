/** Connects a user's account through the provider's consent page. */
import { useAccess, useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Empty, Shown } from '../../../ui/states.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { usePlace } from '../../../use-place.ts'
import '../settings.css'
import { useOrganizationPath } from '../organization/use-organization.ts'

export function ConnectAccount({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const organization = useOrganizationPath()
  const presets = useResource(['presets', 'connections'], (options) => api.v1['connection-presets'].get(options))
  // without permission for integrations, let the server report problems
  const integrations = useResource(['integrations'], (options) =>
    api.v1.organizations(organization).integrations.get(options),
  )
  const statusOf = (presetKey: string) => {
    if (!integrations.value) return integrations.failure ? 'unknown' : 'loading'
    return integrations.value.items.find((integration) => integration.presetKey === presetKey)?.status ?? 'none'
  }
  return (
    <Dialog title="Connect an account" open onClose={onClose}>
      <p>
        Give consent on the provider's page. Agents of this Environment then act with that account, within the scopes
        that you grant.
      </p>
      <Shown resource={presets} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="plug" title="No providers">
              The operator of this server has configured none.
            </Empty>
          ) : (
            <ul className="providers">
              {items.map((preset) => (
                <li key={preset.presetKey}>
                  <Provider {...preset} status={statusOf(preset.presetKey)} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Dialog>
  )
}

const scopesText = ({ length }: readonly string[]) => (length === 1 ? 'one scope' : `${length} scopes`)

interface ProviderProps {
  presetKey: string
  name: string
  defaultScopes: readonly string[]
  status: string
}

function Provider({ presetKey, name, defaultScopes, status }: ProviderProps) {
  const { origin } = useAccess()
  const place = usePlace()
  const { projectId, environmentId } = useEnvironment()
  const returnTo = at(place, 'configuration', 'connections')
  const start = new URL(`/api/oauth/start/${encodeURIComponent(presetKey)}`, origin)
  start.search = new URLSearchParams({ projectId, environmentId, returnTo }).toString()
  const integrations = at(organizationOf(place), 'settings', 'integrations')
  return (
    <>
      <div>
        <strong>{name}</strong>
        <details className="faint">
          <summary>Requests {scopesText(defaultScopes)}</summary>
          <ul>
            {defaultScopes.map((scope) => (
              <li key={scope} className="value-wrap">
                {scope}
              </li>
            ))}
          </ul>
        </details>
        {status === 'none' && <p className="faint">No client is registered for this provider.</p>}
        {status === 'misconfigured' && <p className="faint">The provider rejects the registered client.</p>}
      </div>
      {status === 'none' || status === 'misconfigured' ? (
        <LinkButton href={integrations}>{status === 'none' ? 'Register client' : 'View integration'}</LinkButton>
      ) : (
        // a server route that redirects to the provider, not a console page
        <a className="button button-primary" href={start.href}>
          Connect with {name} <Icon name="out" />
        </a>
      )}
    </>
  )
}
