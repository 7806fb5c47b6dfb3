/**
 * Result of connecting an account, from the redirect: `?oauth=success
 * error&code=…`.
 */
import { Link, useLocation, useSearch } from 'wouter'
import { at } from '../../../places.ts'
import { IconButton } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { usePlace } from '../../../use-place.ts'
import { outcomeWords } from './connect-words.ts'
import '../settings.css'

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
            Account connected.{' '}
            {/^con_\w{1,40}$/.test(connectionId) && (
              <Link href={at(place, 'configuration', 'connections', connectionId)}>View Connection</Link>
            )}{' '}
            Bind it to an Agent, then deploy.
          </>
        ) : (
          (outcomeWords[search.get('code') ?? ''] ?? 'The account was not connected: unknown error. Try again.')
        )}
      </span>
      <IconButton small label="Dismiss" icon="close" onClick={() => navigate(path, { replace: true })} />
    </div>
  )
}
