/** Rules of a provider setting beyond its shape. Pure. Source: contract 4, "Provider settings". */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { vendorNames } from '../../platform/models/vendor-names.ts'
import { isModelName, isVendor, type Vendor } from '../../platform/models/vendors.ts'
import { freeFormIssues } from '../connections/secret-free.ts'

interface SettingToJudge {
  provider: string | null
  model: string | null
  settings: Record<string, unknown>
}

/** `path` is where the setting stands. For vendors in `baseUrls` the model names are not known. */
export function settingIssues(
  { provider, model, settings }: SettingToJudge,
  path: string,
  baseUrls: Partial<Record<Vendor, string>>,
): Issue[] {
  const issues = freeFormIssues(settings, `${path}/settings`)
  if (isVendor(provider) && model !== null && !isModelName(provider, model, baseUrls[provider])) {
    issues.push({ path: `${path}/model`, message: `Is not a model of ${vendorNames[provider]}.` })
  }
  return issues
}

/** Why a credential for `isFor` does not go with the provider; undefined if it does. `isFor` is null without one. */
export function credentialFault(isFor: string | null, provider: string | null): string | undefined {
  if (isFor === null || isFor === provider) return undefined
  return provider === null ? 'Requires a provider.' : `The credential is for ${isFor}.`
}
