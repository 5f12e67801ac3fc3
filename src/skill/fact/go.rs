//! go.mod: the Go version, and important modules.

use super::lines::code;
use super::{Fact, Facts, Kind, Source};

const MODULES: &[(&str, &str, Kind)] = &[
    ("github.com/gin-gonic/gin", "gin", Kind::Framework),
    ("github.com/labstack/echo", "echo", Kind::Framework),
    ("github.com/go-chi/chi", "chi", Kind::Framework),
    ("github.com/gofiber/fiber", "fiber", Kind::Framework),
    ("gorm.io/gorm", "gorm", Kind::Framework),
    ("github.com/jackc/pgx", "postgres", Kind::Framework),
    ("github.com/lib/pq", "postgres", Kind::Framework),
    ("github.com/spf13/cobra", "cobra", Kind::Framework),
    ("github.com/go-sql-driver/mysql", "mysql", Kind::Framework),
    ("go.mongodb.org/mongo-driver", "mongodb", Kind::Framework),
    ("github.com/redis/go-redis", "redis", Kind::Framework),
    ("github.com/segmentio/kafka-go", "kafka", Kind::Framework),
    ("github.com/IBM/sarama", "kafka", Kind::Framework),
    ("github.com/golang-migrate/migrate", "golang-migrate", Kind::Framework),
    ("github.com/pressly/goose", "goose", Kind::Framework),
    ("go.uber.org/zap", "zap", Kind::Framework),
    ("github.com/rs/zerolog", "zerolog", Kind::Framework),
    ("github.com/prometheus/client_golang", "prometheus", Kind::Framework),
    ("github.com/oapi-codegen/runtime", "oapi-codegen", Kind::Framework),
    ("github.com/hashicorp/terraform-plugin-framework", "terraform-plugin", Kind::Framework),
    ("google.golang.org/grpc", "grpc", Kind::Framework),
    ("k8s.io/client-go", "kubernetes", Kind::Framework),
    ("github.com/stretchr/testify", "testify", Kind::TestPlugin),
    ("go.uber.org/goleak", "goleak", Kind::TestPlugin),
    ("pgregory.net/rapid", "rapid", Kind::TestPlugin),
    ("github.com/onsi/ginkgo", "ginkgo", Kind::TestPlugin),
    ("go.uber.org/mock", "gomock", Kind::TestPlugin),
    ("github.com/testcontainers/testcontainers-go", "testcontainers", Kind::TestPlugin),
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim().trim_start_matches("require ").trim();
        if let Some(version) = line.strip_prefix("go ") {
            let fact = Fact::new(Kind::Language, format!("Go {}", code(version))).id("lang-go");
            out.put(source, number + 1, fact.about("go golang"));
            let fact = Fact::new(Kind::TestCommand, "`go test ./...` runs the tests").id("go.test");
            out.command(source, 0, fact.about("go test tests"), "go test ./...");
        }
        let mut words = line.split_whitespace();
        let (Some(module), Some(version)) = (words.next(), words.next()) else { continue };
        let known = MODULES
            .iter()
            .find(|(path, ..)| module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
        if let Some((_, id, kind)) = known.filter(|_| !line.ends_with("// indirect")) {
            out.put(source, number + 1, Fact::new(*kind, format!("`{module}` {version}")).id(*id).about(id));
        }
    }
}
