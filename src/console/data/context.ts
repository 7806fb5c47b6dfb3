/** API access for pages: one client and one query cache per organization. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, createElement, type ReactNode, useCallback, useContext } from 'react'
import type { Api } from '../api/client.ts'
import type { Fetch } from '../api/transport.ts'
import { type Key, refresh } from './queries.ts'

export interface Access {
  api: Api
  queries: QueryClient
  /** Origin of the API and the fetch function, for streams. */
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
  if (!access) throw new Error('AccessProvider is missing')
  return access
}

/** API client for the organization in the address. */
export const useApi = (): Api => useAccess().api

/** Refetches queries by key prefix; see `refresh`. */
export function useRefresh(): (key: Key) => Promise<void> {
  const { queries } = useAccess()
  return useCallback((key) => refresh(queries, key), [queries])
}
