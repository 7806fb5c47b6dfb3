/** What came of connecting an account, when the browser comes back from the provider: `?oauth=success|error&code=…`. */
import { Link, useLocation, useSearch } from 'wouter'
import { at } from '../../places.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePlace } from '../../use-place.ts'
import './settings.css'

const words: Record<string, string> = {
  access_denied: 'The consent was refused at the provider. Nothing was connected.',
  provider_error: 'The provider sent you back without a consent. Try again; if it stays so, verify the integration.',
  state_reused: 'This consent has been used already: the first time counts. Look whether the Connection is there.',
  integration_unavailable: 'The integration, or its provider, was removed while you were there. Ask an administrator.',
  permission_denied: 'You may not connect accounts in this Environment any more, or it is being deleted.',
  exchange_failed:
    'The provider did not accept the consent, or did not say whose account it is; or the Environment has as many Connections as it can. Try again, and verify the integration if it stays so.',
  provider_unavailable: 'The provider does not answer at the moment. Nothing was connected; try again later.',
}

export function ConnectOutcome() {
  const place = usePlace()
  const search = new URLSearchParams(useSearch())
  const [path, navigate] = useLocation()
  const outcome = search.get('oauth')
  if (outcome !== 'success' && outcome !== 'error') return null
  const connectionId = search.get('connectionId') ?? ''
  const isGood = outcome === 'success'
  return (
    <div className={`banner refusal ${isGood ? 'banner-good' : 'banner-bad'}`} role={isGood ? 'status' : 'alert'}>
      <Icon name={isGood ? 'check' : 'warning'} />
      <span>
        {isGood ? (
          <>
            The account is connected.{' '}
            {/^con_\w{1,40}$/.test(connectionId) && (
              <Link href={at(place, 'configuration', 'connections', connectionId)}>Look at the Connection</Link>
            )}{' '}
            Bind it to an Agent, then deploy.
          </>
        ) : (
          (words[search.get('code') ?? ''] ??
          'The account was not connected, for a reason that this console does not know.')
        )}
      </span>
      <IconButton small label="Dismiss" icon="close" onClick={() => navigate(path, { replace: true })} />
    </div>
  )
}
