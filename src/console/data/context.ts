/** What pages reach the API with: one client and one cache for each organization that is looked at. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, createElement, type ReactNode, useCallback, useContext } from 'react'
import type { Api } from '../api/client.ts'
import type { Fetch } from '../api/transport.ts'
import { type Key, refresh } from './queries.ts'

export interface Access {
  api: Api
  queries: QueryClient
  /** Where the API is, and how requests leave: for streams. */
  origin: string
  fetch: Fetch
}

const AccessContext = createContext<Access | undefined>(undefined)

export const AccessProvider = ({ access, children }: { access: Access; children?: ReactNode }) =>
  createElement(
    QueryClientProvider,
    { client: access.queries },
    createElement(AccessContext.Provider, { value: access }, children),
  )

export function useAccess(): Access {
  const access = useContext(AccessContext)
  if (!access) throw new Error('there is no session around this')
  return access
}

/** The client of the API, for the organization in the address. */
export const useApi = (): Api => useAccess().api

/** Reads again what begins with a key; see `refresh`. */
export function useRefresh(): (key: Key) => Promise<void> {
  const { queries } = useAccess()
  return useCallback((key) => refresh(queries, key), [queries])
}
