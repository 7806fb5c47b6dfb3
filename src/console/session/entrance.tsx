/** A page in front of the console, for people who are not signed in, or not as they want to be. */
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { useLocation, useSearch } from 'wouter'
import { createApi } from '../api/client.ts'
import type { Fetch } from '../api/transport.ts'
import { Mark } from '../shell/mark.tsx'
import type { Gatekeeper } from './gatekeeper.ts'

/** What such a page is given. */
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

/** What a token may look like: nothing that could be taken for a path. */
const tokenForm = /^[\w-]{1,255}$/

/**
 * The token of a link: `?token=…` as mails have it, or behind a `#`. It is taken out of the address, so that it stays in no
 * history and goes to no other page.
 */
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
