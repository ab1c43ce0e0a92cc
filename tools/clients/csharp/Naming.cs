// What the client takes from a Newtonsoft.Json newer than Debian's. Every member carries its name, so nothing is lost.
namespace Org.OpenAPITools.Client
{
    public class CamelCaseNamingStrategy
    {
        public bool ProcessDictionaryKeys { get; set; }
        public bool OverrideSpecifiedNames { get; set; }
    }

    public class DefaultContractResolver : Newtonsoft.Json.Serialization.DefaultContractResolver
    {
        public CamelCaseNamingStrategy NamingStrategy { get; set; }
    }
}

namespace Org.OpenAPITools.Model
{
    public class DefaultContractResolver : Client.DefaultContractResolver { }

    public class CamelCaseNamingStrategy : Client.CamelCaseNamingStrategy { }
}
