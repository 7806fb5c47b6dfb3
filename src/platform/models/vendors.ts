/** How the model vendors are used, each through its AI SDK package. Source: contract 4, "Vendors"; requirement 2. */
import type { LanguageModelV3 } from '@ai-sdk/provider'
import { vendorNames } from './vendor-names.ts'

export type Vendor = keyof typeof vendorNames
export const vendorIds = Object.keys(vendorNames) as Vendor[]
/** The provider of a model: a vendor, or the sandbox. */
export type Provider = Vendor | 'sandbox'

/** The settings of a package. All are always passed, so that no package reads environment variables of its own. */
interface PackageSettings {
  apiKey: string
  baseURL: string
  fetch: typeof fetch
}

interface VendorRow {
  /** The vendor's own address, including the version path; `TROUPE_<VENDOR>_BASE_URL` overrides it. */
  baseUrl: string
  defaultModel: string
  /** Names of chat models: the vendor's families, including future versions. */
  modelNames: RegExp
  /** Loads the package once and makes a model. `overridden`: the address is not the vendor's own. */
  open(settings: PackageSettings, model: string, overridden: boolean): Promise<LanguageModelV3>
}

export const vendors: Readonly<Record<Vendor, VendorRow>> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    defaultModel: 'claude-sonnet-5-5',
    modelNames: /^claude-[a-z0-9]/,
    open: async (settings, model) => (await import('@ai-sdk/anthropic')).createAnthropic(settings).chat(model),
  },
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    defaultModel: 'gpt-5.5',
    modelNames: /^(?!.*-(?:image|tts|transcribe|realtime)(?:-|$))(?:ft:)?(?:gpt-\d|gpt-oss-|o\d|chatgpt-\d|codex-)/,
    // An overridden address is a gateway or a local server, which support chat completions.
    open: async (settings, model, overridden) => {
      const openai = (await import('@ai-sdk/openai')).createOpenAI(settings)
      return overridden ? openai.chat(model) : openai.responses(model)
    },
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    defaultModel: 'gemini-flash-latest',
    modelNames: /^(?!.*-(?:tts|embedding|transcribe)(?:-|$))(?:models\/)?(?:gemini|gemma|learnlm)-[a-z0-9]/,
    open: async (settings, model) => (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings).chat(model),
  },
  mistral: {
    baseUrl: 'https://api.mistral.ai/v1',
    defaultModel: 'mistral-medium-latest',
    modelNames:
      /^(?!mistral-(?:embed|ocr|moderation))(?:ft:|open-|labs-)*(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral|leanstral)-[a-z0-9]/,
    open: async (settings, model) => (await import('@ai-sdk/mistral')).createMistral(settings).chat(model),
  },
  xai: {
    baseUrl: 'https://api.x.ai/v1',
    defaultModel: 'grok-4.7',
    modelNames: /^grok-(?!imagine)[a-z0-9]/,
    open: async (settings, model) => (await import('@ai-sdk/xai')).createXai(settings).chat(model),
  },
  groq: {
    baseUrl: 'https://api.groq.com/openai/v1',
    defaultModel: 'openai/gpt-oss-120b',
    // Groq serves open-weight models of many makers, with or without the maker's name.
    modelNames:
      /^(?:(?:openai\/gpt-oss|meta-llama\/|moonshotai\/|qwen\/|groq\/|deepseek-ai\/|mistralai\/|google\/gemma|zai-org\/|minimaxai\/|nvidia\/|allenai\/|microsoft\/|ibm-granite\/)|(?:llama|gemma|mixtral|mistral-saba|qwen|deepseek-r1-distill|kimi|compound)[-\d])/,
    open: async (settings, model) => (await import('@ai-sdk/groq')).createGroq(settings).languageModel(model),
  },
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    defaultModel: 'deepseek-v4-flash',
    modelNames: /^deepseek-[a-z0-9]/,
    open: async (settings, model) => (await import('@ai-sdk/deepseek')).createDeepSeek(settings).chat(model),
  },
  cohere: {
    baseUrl: 'https://api.cohere.com/v2',
    defaultModel: 'command-a-03-2025',
    modelNames: /^(?:command(?:-|$)|c4ai-|aya-|north-)/,
    open: async (settings, model) => (await import('@ai-sdk/cohere')).createCohere(settings).languageModel(model),
  },
}

/** Whether this is one of the eight vendors; the sandbox is not. */
export const isVendor = (value: unknown): value is Vendor => typeof value === 'string' && Object.hasOwn(vendors, value)

const modelForm = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$/

/**
 * Whether a model's name is valid for a provider. If the deployment overrides the vendor's address only the form is checked,
 * because gateways name models freely. Source: contract 4, "Precise points"; requirement 4.14.
 */
export function isModelName(provider: Provider, model: string, baseUrl?: string | null): boolean {
  if (provider === 'sandbox') return model === 'sandbox'
  return modelForm.test(model) && (Boolean(baseUrl) || vendors[provider].modelNames.test(model))
}
