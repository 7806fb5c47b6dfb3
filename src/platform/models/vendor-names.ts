/** The eight model vendors, by the ids of the API, and their names. Source: contract 4, "Vendors"; requirement 2. */
export const vendorNames = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  mistral: 'Mistral',
  xai: 'xAI',
  groq: 'Groq',
  deepseek: 'DeepSeek',
  cohere: 'Cohere',
} as const
