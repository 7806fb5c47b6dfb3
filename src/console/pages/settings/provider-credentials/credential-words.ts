/** Names of providers and credential types. The keys are the API's: a new type must be added here. */
import { vendorNames } from '../../../../platform/models/vendor-names.ts'
import type { useApi } from '../../../data/context.ts'

type Organizations = ReturnType<ReturnType<typeof useApi>['v1']['organizations']>
type Body = Parameters<Organizations['provider-credentials']['post']>[0]
export type Provider = Body['provider']
export type CredentialType = Body['credentialType']

export const providerNames: Record<Provider, string> = { ...vendorNames, custom: 'Connections' }

/** Providers of models: all but `custom`. */
export const modelProviders = Object.keys(vendorNames) as Exclude<Provider, 'custom'>[]

export const credentialTypeNames: Record<CredentialType, string> = {
  api_key: 'API key',
  oauth: 'OAuth token',
  service_account: 'Service account',
  connection_string: 'Connection string',
}

export const entriesOf = <Word extends string>(names: Record<Word, string>) => Object.entries(names) as [Word, string][]
