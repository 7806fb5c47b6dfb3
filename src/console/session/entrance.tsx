/** Frame of pages outside the console: sign-in, invitations, password resets. */
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { useLocation, useSearch } from 'wouter'
import { createApi } from '../api/client.ts'
import type { Fetch } from '../api/transport.ts'
import { Mark } from '../shell/mark.tsx'
import type { Gatekeeper } from './gatekeeper.ts'

export interface EntranceParts {
  gatekeeper: Gatekeeper
  origin: string
  fetch: Fetch
}

export const apiOf = ({ gatekeeper, origin, fetch }: EntranceParts) => createApi({ origin, fetch, gate: gatekeeper })

export function EntrancePage({ title, about, children }: { title: string; about: ReactNode; children: ReactNode }) {
  return (
    <main className="entrance">
      <div className="entrance-card">
        <header className="entrance-head">
          <Mark size={40} />
          <h1>{title}</h1>
          <p className="faint">{about}</p>
        </header>
        {children}
      </div>
    </main>
  )
}

export const useSessionStatus = (gatekeeper: Gatekeeper) =>
  useSyncExternalStore(gatekeeper.subscribe, () => gatekeeper.status)

/** Pattern of a token; excludes anything that could be taken for a path. */
const tokenForm = /^[\w-]{1,255}$/

/** Token of a link, from `?token=…` or the fragment; removed from the address, to keep it out of the history and referrers. */
export function useToken(): string {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const [token] = useState(() => {
    const given = new URLSearchParams(search).get('token') ?? location.hash.slice(1)
    return tokenForm.test(given) ? given : ''
  })
  useEffect(() => {
    if (token !== '') navigate(path, { replace: true })
  }, [token, path, navigate])
  return token
}
