//go:build cgo

package main

import (
	"html"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

const hasCgo = true

var cgoDrivers = []sqlDriver{{"database/sql+mattn", "sqlite3", "file:/mattn?vfs=memdb"}}

type supplier struct {
	ID   int    `gorm:"column:SUP_ID;primaryKey"`
	Name string `gorm:"column:SUP_NAME"`
}

func (supplier) TableName() string { return "SUPPLIERS" }

type coffee struct {
	Name       string   `gorm:"column:COF_NAME;primaryKey"`
	SupplierID int      `gorm:"column:SUP_ID"`
	Supplier   supplier `gorm:"foreignKey:SupplierID"`
}

func (coffee) TableName() string { return "COFFEES" }

// ginWithGorm is the list in a typical application of gin and gorm, with models, a join, a
// transaction and prepared statements.
func ginWithGorm() (http.Handler, func() error, error) {
	db, err := gorm.Open(sqlite.Open("file:/gorm?vfs=memdb"), &gorm.Config{PrepareStmt: true, Logger: logger.Discard})
	if err != nil {
		return nil, nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, nil, err
	}
	pool.SetMaxOpenConns(50)
	pool.SetMaxIdleConns(50)
	for statement := range strings.SplitSeq(coffeeTables, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := db.Exec(statement).Error; err != nil {
			return nil, nil, err
		}
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(gin.Recovery())
	engine.GET("/coffees", func(c *gin.Context) {
		var coffees []coffee
		err := db.WithContext(c.Request.Context()).Transaction(func(tx *gorm.DB) error {
			return tx.Joins("Supplier").Order("COF_NAME").Find(&coffees).Error
		})
		if err != nil {
			c.String(http.StatusInternalServerError, "failed")
			return
		}
		var b strings.Builder
		for i, coffee := range coffees {
			if i > 0 {
				b.WriteString("<br />")
			}
			b.WriteString("  " + html.EscapeString(coffee.Name) + " supplied by " + html.EscapeString(coffee.Supplier.Name))
		}
		c.Data(http.StatusOK, "text/html; charset=utf-8", []byte(b.String()))
	})
	return engine, pool.Close, nil
}
